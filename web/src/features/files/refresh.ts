// When a tree is read again: at each change that the server reports, or every 15 seconds where
// it reports none.

/** How often a project is asked where no events come, in milliseconds. */
export const pollEvery = 15_000;

/** Changes that follow each other within this time are taken together, in milliseconds. */
export const settleTime = 350;

/** What a refresher needs of the page. Tests have their own. */
export interface Page { hidden(): boolean; now(): number; later(act: () => void, ms: number): () => void }

/**
 * Gathers changes. The first one is passed on at once, so that it is seen at once; those of
 * the next 350 ms together at their end.
 */
export class Refresher {
  private readonly act: (paths: ReadonlySet<string> | "all") => void;
  private readonly page: Page;
  private gathered: Set<string> | "all" | undefined;
  private last = -Infinity;
  private cancel: (() => void) | undefined;
  private live = false;

  constructor(act: (paths: ReadonlySet<string> | "all") => void, page: Page) {
    this.act = act;
    this.page = page;
  }

  /** Says whether the server tells of changes. */
  setLive(live: boolean): void { this.live = live; }

  changed(paths: readonly string[] | "all"): void {
    if (paths === "all" || this.gathered === "all") this.gathered = "all";
    else this.gathered = new Set([...this.gathered ?? [], ...paths]);
    if (this.cancel) return;
    const wait = this.last + settleTime - this.page.now();
    if (wait <= 0) this.flush();
    else this.cancel = this.page.later(() => this.flush(), wait);
  }

  /** Called every 15 seconds: a page that nobody sees asks for nothing. */
  tick(): void { if (!this.live && !this.page.hidden()) this.changed("all"); }

  /** Called when the page is seen again or gets the focus. */
  seen(): void { if (!this.page.hidden()) this.changed("all"); }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
  }

  private flush(): void {
    this.cancel = undefined;
    this.last = this.page.now();
    const paths = this.gathered;
    this.gathered = undefined;
    if (paths) this.act(paths);
  }
}
