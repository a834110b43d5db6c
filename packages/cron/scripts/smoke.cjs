// The CommonJS build, beside the ES modules: an error of the one is known to the other.
const cron = require("../dist/index.cjs");

import("../dist/index.js").then((modules) => {
  try {
    cron.parseCron("x");
  } catch (error) {
    if (!modules.isCronSyntaxError(error)) throw new Error("brands differ");
  }
  const copy = cron.parseCron("0 9 * * *");
  if (modules.nextOccurrence(copy, 0) !== 32_400_000) throw new Error("copies differ");
  console.log("CommonJS and ES modules agree");
});
