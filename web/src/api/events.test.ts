import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { LogEvent } from "../session/event";
import { follow, type LinkState } from "./events";
import type { Failure } from "./http";

const times = { first: 1, most: 4, silence: 300_000 };
const stops: (() => void)[] = [];
afterEach(() => { for (const stop of stops.splice(0)) stop(); });

/** A server on loopback that answers with what the test says. */
async function server(answer: (req: IncomingMessage, res: ServerResponse, n: number) => void): Promise<IncomingMessage[]> {
  const asked: IncomingMessage[] = [];
  const s = createServer((req, res) => { asked.push(req); answer(req, res, asked.length); });
  await new Promise<void>((resolve) => s.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(s.address() as AddressInfo).port}`;
  const real = globalThis.fetch;
  globalThis.fetch = (path, init) => real(new URL(String(path), base), init);
  stops.push(() => { globalThis.fetch = real; s.closeAllConnections(); s.close(); });
  return asked;
}

const event = (seq: number) => `id: ${seq}\nevent: chat:delta\ndata: {"text":"${seq}"}\n\n`;

/** Follows until so many events have come or the stream was refused. */
async function read(count: number, after = 0, silence = times.silence): Promise<{ events: LogEvent[]; states: LinkState[]; refused: Failure | undefined }> {
  const events: LogEvent[] = [];
  const states: LinkState[] = [];
  let refused: Failure | undefined;
  const stop = new AbortController();
  await follow("s1", after, {
    onEvents: (batch) => { events.push(...batch); if (events.length >= count) stop.abort(); },
    onState: (state, err) => { states.push(state); refused = err; },
  }, stop.signal, { ...times, silence });
  return { events, states, refused };
}

describe("the event stream", () => {
  it("continues after the last event and loses nothing", async () => {
    const asked = await server((_, res, n) => {
      res.writeHead(200, { "Content-Type": "text/event-stream" });
      res.write(event(2 * n - 1) + event(2 * n), () => res.destroy());
    });
    const { events, states } = await read(6);
    expect(events.map((e) => e.seq)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(asked.map((r) => r.headers["last-event-id"])).toEqual([undefined, "2", "4"]);
    expect(states.slice(0, 3)).toEqual(["live", "lost", "live"]);
  });

  it("begins behind what was read before, and goes on where a gap says", async () => {
    const asked = await server((_, res, n) => {
      res.writeHead(200);
      res.end(n === 1 ? `event: log:gap\ndata: {"reason":"expired","next":41}\n\n` : event(41));
    });
    await read(2, 7);
    expect(asked.map((r) => r.headers["last-event-id"])).toEqual(["7", "40"]);
  });

  it("is put together from pieces, and passes over what is no event", async () => {
    await server((_, res) => {
      res.writeHead(200);
      const bytes = Buffer.from(`:keepalive\n\nevent: x\ndata: no json\n\nid: 1\nevent: chat:delta\ndata: {"text":"ä€"}\n\n`);
      for (let i = 0; i < bytes.length; i += 7) res.write(bytes.subarray(i, i + 7));
    });
    expect((await read(1)).events).toEqual([{ seq: 1, type: "chat:delta", data: { text: "ä€" } }]);
  });

  it("gives up a server that sends nothing, not even a keep-alive", async () => {
    const asked = await server((_, res, n) => { res.writeHead(200); res.write(n === 1 ? ":hello\n\n" : event(1)); });
    expect((await read(1, 0, 200)).events.map((e) => e.seq)).toEqual([1]);
    expect(asked.length).toBeGreaterThan(1); // on a busy machine the second may be silent for too long as well
  });

  it("ends when it is refused, with the reason", async () => {
    const asked = await server((_, res) => {
      res.writeHead(404, { "Content-Type": "application/json" });
      res.end(JSON.stringify({ error: { type: "SESSION_NOT_FOUND", message: "no session" } }));
    });
    const { states, refused } = await read(1);
    expect(states).toEqual(["refused"]);
    expect(refused?.type).toBe("SESSION_NOT_FOUND");
    expect(asked).toHaveLength(1);
  });

  it.each([408, 425, 429])("tries again after a refusal that passes: %i", async (status) => {
    const at: number[] = [];
    await server((_, res, n) => {
      at.push(performance.now());
      if (n === 1) { res.writeHead(status, { "Retry-After": "1" }); res.end(); } else { res.writeHead(200); res.write(event(1)); }
    });
    expect((await read(1)).states).toEqual(["lost", "live"]);
    expect(at[1]! - at[0]!).toBeGreaterThan(900); // as long as the answer asked for
  });

  it("tries again when the server is overloaded", async () => {
    const asked = await server((_, res, n) => { if (n < 3) { res.writeHead(503); res.end(); } else { res.writeHead(200); res.write(event(1)); } });
    await read(1);
    expect(asked).toHaveLength(3);
  });
});
