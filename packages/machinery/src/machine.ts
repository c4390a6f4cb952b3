// The machine as a program sees it, for those who talk to no cluster: it loads nothing of the rest of machinery.
export { systemClock } from './clock.ts';
export { homeDirectory } from './config/home-directory.ts';
export { systemRandom } from './random.ts';
