// Starts the mock on a free loopback port, prints its URL, and stops when its
// standard input ends, so that it cannot outlive the test that started it.
import { LLMock } from "@copilotkit/aimock";

const mock = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
mock.loadFixtureFile(new URL("fixtures.json", import.meta.url).pathname);
await mock.start();
console.log(mock.url);

process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
