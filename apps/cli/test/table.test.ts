import { describe, expect, it } from "vitest";
import { paintFor, printable, wantsColour } from "../src/paint.ts";
import { fieldLines, tableLines } from "../src/table.ts";

const plain = paintFor({ colour: false });
const rows = [
  { name: "a", exit: 0, note: "first" },
  { name: "longer-name", exit: undefined, note: "two\nlines" },
];
const columns = [
  { title: "NAME", text: (row: (typeof rows)[number]) => row.name },
  { title: "EXIT", text: (row: (typeof rows)[number]) => row.exit },
  { title: "NOTE", text: (row: (typeof rows)[number]) => row.note },
];

describe("tables", () => {
  it("aligns columns two spaces apart, shows nothing as a dash and keeps a row on one line", () => {
    expect(tableLines(rows, columns, plain)).toEqual([
      "NAME         EXIT  NOTE",
      "a            0     first",
      "longer-name  -     two lines",
    ]);
  });

  it("aligns the same with colours on, since a colour takes no room", () => {
    const coloured = columns.map((c) => ({ ...c, colour: () => "green" as const }));
    const lines = tableLines(rows, coloured, paintFor({ colour: true }));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is taken away
    const bare = lines.map((line) => line.replace(/\u001b\[\d+m/g, ""));
    expect(bare).toEqual(tableLines(rows, columns, plain));
    expect(lines[1]).toContain("\u001b[32ma\u001b[0m");
  });

  it("leaves out fields without a value", () => {
    const fields = [
      ["name", "x"],
      ["last exit", undefined],
      ["attempts", 0],
    ] as const;
    expect(fieldLines(fields, plain)).toEqual(["name      x", "attempts  0"]);
  });
});

describe("colours and control characters", () => {
  it("colours only on a terminal, never with NO_COLOR or TERM=dumb", () => {
    expect(wantsColour({ isTTY: true }, {})).toBe(true);
    expect(wantsColour({ isTTY: true }, { NO_COLOR: "" })).toBe(true);
    expect(wantsColour({ isTTY: true }, { NO_COLOR: "1" })).toBe(false);
    expect(wantsColour({ isTTY: true }, { TERM: "dumb" })).toBe(false);
    expect(wantsColour({ isTTY: false }, {})).toBe(false);
    expect(wantsColour({}, {})).toBe(false);
  });

  it("shows control characters of foreign text instead of obeying them", () => {
    expect(printable("\u001b]0;title\u0007\u001b[2Jx\r\ny\tz\rq")).toBe("␛]0;title␇␛[2Jx\ny\tz␍q");
    expect(printable("safe\u202egnp.exe\u009b2J")).toBe("safe\ufffdgnp.exe\ufffd2J");
    expect(printable("Grüße, 世界")).toBe("Grüße, 世界");
  });
});
