// The demo and a browser for the tests of one file: begun before the first, ended after the last.
import { after, before } from 'node:test';
import { type PageOptions, SKIP, WebBrowser } from './browser.ts';
import { Served } from './served-ledger.ts';
import type { WatchedPage } from './watched-page.ts';

export class DemoStage {
  /** There from the first test on. */
  browser!: WebBrowser;
  demo!: Served;

  /** Signed in. Whoever opens it closes it. */
  async open(path: string, options: PageOptions = {}): Promise<WatchedPage> {
    const watched = await this.browser.open({ cookie: await this.demo.cookie(), ...options });
    await watched.goto(`${this.demo.origin}${path}`);
    return watched;
  }
}

/** Called once, at the top of a file. `ready` runs before the first test, with the demo: another hook would not wait. */
export function useDemo(ready: (demo: Served) => void = () => {}): DemoStage {
  const stage = new DemoStage();
  before(async () => {
    if (SKIP !== false) return;
    [stage.browser, stage.demo] = await Promise.all([WebBrowser.start(), Served.demo()]);
    ready(stage.demo);
  });
  after(async () => {
    await Promise.all([stage.browser?.end(), stage.demo?.end()]);
  });
  return stage;
}
