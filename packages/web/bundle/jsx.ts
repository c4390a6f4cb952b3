// What JSX becomes in the bundle. esbuild adds it to every module that has any (bundle-page.ts); nothing imports it.
export { Fragment, h } from 'preact';
