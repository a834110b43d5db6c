import * as v from "valibot";

type Text = v.GenericSchema<string>;

/**
 * Texts by name, each checked. The library's own record leaves out names such as `constructor`,
 * and nothing is accepted with a part left out.
 */
export function texts(name: Text, text: Text) {
  return v.pipe(
    v.custom<Readonly<Record<string, string>>>(isMap, "must map names to texts"),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      for (const [key, value] of Object.entries(dataset.value)) {
        const found = v.safeParse(name, key).issues ?? v.safeParse(text, value).issues;
        if (found === undefined) continue;
        const place = {
          type: "object",
          origin: "value",
          input: dataset.value,
          key,
          value,
        } as const;
        addIssue({ message: found[0].message, path: [{ ...place, input: { ...place.input } }] });
      }
    }),
  );
}

function isMap(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
