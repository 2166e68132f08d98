// Starts the mock on a free loopback port, prints its URL, and stops when its
// standard input ends, so that it cannot outlive the test that started it. It
// answers from fixtures.json, or from the files that are its arguments.
import { LLMock } from "@copilotkit/aimock";

const mock = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
const files = process.argv.slice(2);
if (files.length === 0) files.push(new URL("fixtures.json", import.meta.url).pathname);
for (const file of files) mock.loadFixtureFile(file);
await mock.start();
console.log(mock.url);

process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
