// A browser and a served ledger, as benchmarks and scripts use them.
export { WebBrowser } from './browser.ts';
export { DEMO_SEED, Served } from './served-ledger.ts';
export { type ViewOfDemo, viewsOf } from './views.ts';
export type { WatchedPage } from './watched-page.ts';
