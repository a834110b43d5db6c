import { describe, expect, it } from "vitest";
import { duplicateKey } from "../src/http/duplicate-key.ts";

describe("a key that stands twice in one map (R4)", () => {
  it.each<[string, readonly (string | number)[] | undefined]>([
    ['{"a":1,"b":2}', undefined],
    ['{"a":1,"a":1}', ["a"]],
    ['{"a":1,"b":{"a":1}}', undefined],
    ['{"b":{"a":1},"a":1}', undefined],
    ['[{"a":1},{"a":1}]', undefined],
    ['[0,{"x":[1,2,{"a":1,"b":1,"a":1}]}]', [1, "x", 2, "a"]],
    ['{"a":"a\\",\\"a\\":","b":"a"}', undefined],
    ['{"a\\\\":1,"a\\\\":1}', ["a\\"]],
    ['{"a":1,"\\u0061":1}', ["a"]],
    ['{"":1,"":1}', [""]],
    ['{"constructor":1,"toString":1}', undefined],
    ['["a","a",{"a":["a","a"]}]', undefined],
    ['{"a":[],"b":{},"c":[[]],"a":1}', ["a"]],
    [' { "a" : 1 , "a" : 2 } ', ["a"]],
    ['"a"', undefined],
    ["1", undefined],
  ])("%s", (text, path) => {
    JSON.parse(text);
    expect(duplicateKey(text)).toEqual(path);
  });

  it("is found at any depth without recursion", () => {
    const depth = 200_000;
    const text = `${"[".repeat(depth)}{"a":1,"a":2}${"]".repeat(depth)}`;
    expect(duplicateKey(text)).toHaveLength(depth + 1);
  });
});
