// How the page is made of its sources, in Node: for the build, and for whoever serves it from a clone.
export { type BundledPage, bundlePage } from './bundle-page.ts';
export { pageOfSources } from './page-of-sources.ts';
export { checkSize } from './page-size.ts';
