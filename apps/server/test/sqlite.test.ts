import { afterEach } from "vitest";
import { openSqliteStore } from "../src/store/sqlite.ts";
import type { Store } from "../src/store/store.ts";
import { temporaryFolder } from "./harness.ts";
import { describeStore } from "./store-contract.ts";

const open: Store[] = [];

afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});

describeStore("SQLite", async () => {
  const file = `${temporaryFolder()}/server.db`;
  return {
    async open(options) {
      const store = await openSqliteStore({ file, ...options });
      open.push(store);
      return store;
    },
  };
});
