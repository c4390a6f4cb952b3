// One Chromium for a test file, and pages that each have a context of their own (cookies, size, theme, zone) and note
// whatever must not happen: errors, refusals of the Content-Security-Policy, requests to another origin.
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';
import { findChromium, NO_CHROMIUM } from './find-chromium.ts';
import { WatchedPage } from './watched-page.ts';

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  /** IANA name; the zone of the browser's clock. */
  readonly zone?: string;
  /** For a server whose certificate is of an authority that no browser knows. */
  readonly trustsAnyCertificate?: boolean;
  /** A cookie of a server, as `Served.cookie` gives it. */
  readonly cookie?: { readonly name: string; readonly value: string; readonly url: string };
}

/** For `skip` of a test: why it cannot run here, or false. */
export const SKIP: string | false = findChromium() === undefined ? NO_CHROMIUM : false;

export class WebBrowser {
  readonly #browser: Browser;

  static async start(): Promise<WebBrowser> {
    const executablePath = findChromium();
    if (executablePath === undefined) throw new Error(NO_CHROMIUM);
    // Its sandbox does not work for root, nor in most containers; it only ever loads our own page.
    const args = ['--no-sandbox', '--disable-dev-shm-usage'];
    return new WebBrowser(await chromium.launch({ executablePath, args }));
  }

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  get version(): string {
    return this.#browser.version();
  }

  /** Whoever opens it closes it, or ends the browser. */
  async open(options: PageOptions = {}): Promise<WatchedPage> {
    const { width = 1280, height = 800, theme = 'light', zone, cookie } = options;
    const asked: BrowserContextOptions = { viewport: { width, height }, colorScheme: theme, reducedMotion: 'reduce' };
    if (zone !== undefined) asked.timezoneId = zone;
    if (options.trustsAnyCertificate === true) asked.ignoreHTTPSErrors = true;
    const context = await this.#browser.newContext(asked);
    if (cookie !== undefined) await context.addCookies([{ ...cookie, httpOnly: true, sameSite: 'Strict' }]);
    return await WatchedPage.watch(await context.newPage());
  }

  async end(): Promise<void> {
    await this.#browser.close();
  }
}
