// A file that builds programs, run by itself: a signal ends what it started, and what is missing is one sentence on standard error.
import { ControlPlaneError } from './control-plane-error.ts';
import { endBuilds } from './go-toolchain.ts';

export async function runBuild(build: () => Promise<unknown>): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      endBuilds();
      process.exit(signal === 'SIGINT' ? 130 : 143);
    });
  }
  try {
    await build();
  } catch (error) {
    if (!(error instanceof ControlPlaneError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
