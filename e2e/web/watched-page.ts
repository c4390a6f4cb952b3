// A page under test: knows when it has settled, and keeps whatever must not happen.
import type { Page, Request } from 'playwright-core';

/** Only against hanging; several times what a busy machine takes. */
const PATIENCE_MS = 60_000;

// Scripts of the page are text: Node has no types of a document.
const REPORT_REFUSALS = `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  podtrailRefused(violatedDirective + ' ' + blockedURI))`;
const IS_BUSY = `(async () => {
  for (let i = 0; i < 2; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
  return document.querySelector('.skeleton, [aria-busy="true"]') !== null;
})()`;

export class WatchedPage implements AsyncDisposable {
  readonly page: Page;
  /** Errors of scripts and of the console, refusals of the policy; each is a sentence. */
  readonly problems: string[] = [];
  /** Requests to another origin than that of the page. */
  readonly foreign: string[] = [];
  readonly #pending = new Set<Request>();
  #changed = Promise.withResolvers<void>();

  static async watch(page: Page): Promise<WatchedPage> {
    const watched = new WatchedPage(page);
    await page.exposeFunction('podtrailRefused', (what: string) =>
      watched.problems.push(`refused by the policy: ${what}`),
    );
    await page.addInitScript(REPORT_REFUSALS);
    return watched;
  }

  private constructor(page: Page) {
    this.page = page;
    page.setDefaultTimeout(PATIENCE_MS);
    page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(`console: ${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => this.problems.push(`error: ${error.stack ?? error.message}`));
    page.on('dialog', (dialog) => {
      this.problems.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      const { origin, protocol, pathname } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== new URL(page.url()).origin && !request.isNavigationRequest()) {
        this.foreign.push(request.url());
      }
      // A stream has no end.
      if (pathname !== '/api/v1/live' && protocol.startsWith('http')) this.#pending.add(request);
    });
    const ended = (request: Request) => {
      this.#pending.delete(request);
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    };
    page.on('requestfinished', ended).on('requestfailed', ended);
  }

  /** Opens it, and waits until it has settled. */
  async goto(url: string): Promise<void> {
    await this.page.goto(url);
    await this.settled();
  }

  async reload(): Promise<void> {
    await this.page.reload();
    await this.settled();
  }

  /** Its heading is there, nothing is asked, nothing is loading, and what came is painted. */
  async settled(): Promise<void> {
    await this.page.locator('main h1').waitFor({ state: 'attached' });
    const late = AbortSignal.timeout(PATIENCE_MS);
    const isLate = new Promise<void>((resolve) => late.addEventListener('abort', () => resolve(), { once: true }));
    for (;;) {
      while (this.#pending.size > 0 && !late.aborted) await Promise.race([this.#changed.promise, isLate]);
      if (late.aborted) throw new Error(`it does not settle: ${[...this.#pending].map((request) => request.url())}`);
      const isBusy = await this.page.evaluate<boolean>(IS_BUSY);
      if (!isBusy && this.#pending.size === 0) return;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
  }
}
