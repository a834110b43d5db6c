// Preloaded into an instance: ends it with SIGKILL right before it sends a certain statement.
// CRASH_AT lists how statements begin, in order ("UPDATE jobs>commit"): the kill comes before the
// last of them, once those before it were sent.
import pg from "pg";

const awaited = process.env.CRASH_AT.split(">");
const { query } = pg.Client.prototype;

pg.Client.prototype.query = function (statement, ...rest) {
  const text = typeof statement === "string" ? statement : statement.text;
  if (awaited[0] !== undefined && text.startsWith(awaited[0])) awaited.shift();
  if (awaited.length === 0) process.kill(process.pid, "SIGKILL");
  return query.call(this, statement, ...rest);
};
