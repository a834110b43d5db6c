import { copyFileSync } from "node:fs";
import { afterEach } from "vitest";
import { openSqliteStore } from "../src/store/sqlite.ts";
import type { Store } from "../src/store/store.ts";
import { temporaryFolder } from "./harness.ts";
import { describeStore } from "./store-contract.ts";

const open: Store[] = [];

afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});

/** Within a test: a database that is migrated once and copied for each that the test wants. */
let template: string | undefined;

afterEach(() => {
  template = undefined;
});

async function freshFile(): Promise<string> {
  const file = `${temporaryFolder()}/server.db`;
  if (template === undefined) {
    const store = await openSqliteStore({ file });
    await store.close();
    template = `${temporaryFolder()}/template.db`;
    copyFileSync(file, template);
    return file;
  }
  copyFileSync(template, file);
  return file;
}

describeStore("SQLite", async () => {
  const file = await freshFile();
  return {
    async open(options) {
      const store = await openSqliteStore({ file, ...options });
      open.push(store);
      return store;
    },
  };
});
