// `podtrail import --audit-log`: reads the logs and stores what they say; prints nothing but how it went.
import { DamagedNotes } from '../audit/damaged-notes.ts';
import { mustBeAuditLog, readLogs } from '../audit/read-logs.ts';
import { ReadingProgress } from '../audit/reading-progress.ts';
import type { Cli } from '../cli.ts';
import { InterruptedError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { showBytes } from '../output/bytes.ts';
import { counted } from '../output/counted.ts';
import { storedLines } from './audit-store.ts';
import { withAuditStore } from './with-audit-store.ts';

export async function importAuditLog(cli: Cli, files: readonly string[], options: SharedOptions): Promise<ExitCode> {
  return await withAuditStore(cli, files, options, async (store) => {
    const { signal, stderr } = cli.commandEnv;
    const damaged = new DamagedNotes(cli);
    const progress = new ReadingProgress(cli, stderr.isTTY);
    const { tally, brokenOff } = await readLogs({
      files,
      reader: cli.commandEnv,
      signal,
      onAction: (action) => store.add(action),
      onDamaged: (line) => damaged.add(line),
      isEnough: () => false,
      async onChunk({ bytes }, isLive) {
        await damaged.flush();
        await store.flush(isLive);
        await progress.show(bytes, `${store.tally.taken} stored`);
      },
      onSkipped: (name, why) => cli.note(`${name} is left out: ${why}`),
      onBrokenOff: (name) => cli.note(`${name} is read in part: the rest of it cannot be unpacked`),
    }).catch((error) => {
      throw signal.aborted ? new InterruptedError() : error;
    });
    await damaged.flush();
    await store.end();
    await progress.clear();
    mustBeAuditLog(tally, files);
    const { lines, bytes, actions } = tally;
    await cli.note(`${counted(lines, 'line')}, ${showBytes(bytes)}: ${counted(actions, 'action')}`);
    if (tally.damaged > 0)
      await cli.note(`${counted(tally.damaged, 'line')} could not be read: what they say is missing`);
    for (const line of storedLines(store)) await cli.note(line);
    const [first] = brokenOff;
    if (first !== undefined) throw first;
    return EXIT.answered;
  });
}
