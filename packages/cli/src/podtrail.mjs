#!/usr/bin/env node
// What `podtrail` and `kubectl podtrail` start. Plain JavaScript that imports nothing before it has looked at the version,
// because it must also run on a Node that cannot read TypeScript: there it says one sentence instead of a stack trace.
const OLDEST_NODE = 24; // the `engines` of this package

if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
  process.stderr.write(
    `This is Node ${process.versions.node}, and podtrail needs Node ${OLDEST_NODE} or newer. In a clone \`npm ci\` brings ` +
      'one (an optional dependency, so not with --omit=optional) and npx uses it: start this with `npx podtrail …`.\n',
  );
  process.exit(1);
}

await import('./main.ts');
