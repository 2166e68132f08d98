import { beforeEach, describe, expect, it, vi } from "vitest";
import type { ReactNode } from "react";
import { drawn } from "../../ui/drawn.test-helper";
import { Audit } from "../history/audit";
import Files from "./files";

// A component that is drawn without a browser has no other state of the address than the one now.
vi.mock("react", async (load) => {
  const real = await load<typeof import("react")>();
  return { ...real, useSyncExternalStore: <T>(subscribe: (listener: () => void) => () => void, get: () => T) => real.useSyncExternalStore(subscribe, get, get) };
});

const replaceState = vi.fn();
const entry = { pathname: "/p/p_1/files", search: "?q=be&path=a.md&actor=be" };
vi.stubGlobal("document", { hidden: false });
vi.stubGlobal("location", entry);
vi.stubGlobal("history", { replaceState, pushState: replaceState });
vi.stubGlobal("dispatchEvent", () => true);

const project = { id: "p_1", path: "/p", name: "p", exists: true };

describe("a field whose text is in the address", () => {
  beforeEach(() => { replaceState.mockClear(); });

  for (const [name, view, id] of [["the search in the files", Files, "files-search"], ["who of the audit log", Audit, "audit-actor"]] as [string, (props: object) => ReactNode, string][]) {
    it(`does not change the address on every key: ${name}`, () => {
      const field = drawn(view, { project, item: "" }).elements.find((e) => e.props.id === id)!;
      expect(field.props.value).toBe("be");
      for (const value of ["bel", "bela", "belay"]) field.props.onChange({ target: { value } });
      expect(replaceState).not.toHaveBeenCalled();
    });
  }
});
