// Opens a URL in the browser of whoever sits at this terminal; only when they ask for it. The URL is an argument of a
// process, which other users of the machine can list: good enough for a simulated cluster and a token that works once.
import { spawn } from 'node:child_process';

type Start = typeof spawn;

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [program: string, ...words: string[]]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};
const OTHERS = ['xdg-open'] as const;

/** False where there is none, or it could not be started. Resolves when the opener has handed the URL on. */
export function openBrowser(url: string, platform = process.platform, start: Start = spawn): Promise<boolean> {
  const [program, ...words] = OPENERS[platform] ?? OTHERS;
  return new Promise((resolve) => {
    // Its own group: the browser outlives the demo and its Ctrl+C.
    const opener = start(program, [...words, url], { stdio: 'ignore', detached: true });
    opener.once('error', () => resolve(false));
    opener.once('exit', (code) => resolve(code === 0));
    opener.unref();
  });
}
