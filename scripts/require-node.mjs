// Preloaded (`node --import`) by every npm script, before any TypeScript is read. Plain JavaScript, because it must
// also run on a Node that cannot strip types: there it says one sentence instead of a syntax error.
import { existsSync } from 'node:fs';

const OLDEST_NODE = 24; // the `engines` of our packages
const installed = existsSync(new URL('../node_modules/.package-lock.json', import.meta.url));

if (!installed) {
  refuse('The dependencies are not installed yet: run `npm ci` first.');
} else if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
  refuse(
    `This is Node ${process.versions.node}, and podtrail needs Node ${OLDEST_NODE} or newer. \`npm ci\` brings one ` +
      '(an optional dependency, so not with --omit=optional) and npm scripts use it: start this with `npm run …`.',
  );
}

function refuse(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
