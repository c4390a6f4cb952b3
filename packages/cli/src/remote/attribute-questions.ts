// What the rows of a log ask, answered by a server: the same answers as `attribute` gets from a store, each sent once.
import type { Engine } from '@podtrail/history';
import {
  type Attribution,
  askAttributions,
  type EpochMillis,
  epochMillis,
  parseIp,
  type Visibility,
} from '@podtrail/history/wire';
import { Problem } from '@podtrail/operator/serving';
import { askAll } from '../attribute/ask.ts';
import { CliError, describeError } from '../errors.ts';
import { chooseCluster } from '../options/choose-cluster.ts';
import type { RanCommand, RemoteCommand } from './remote-command.ts';

interface AskedLog {
  readonly engine: Engine;
  readonly visibility: Visibility;
  readonly now: EpochMillis;
}

export async function attributeQuestions({ asked }: RemoteCommand, log: AskedLog): Promise<RanCommand> {
  const { engine, visibility, now } = log;
  if (asked === undefined) throw new Problem(400, 'bad-command', 'attribute needs what is asked');
  try {
    const cluster = await chooseCluster(engine, asked.cluster);
    const questions = asked.questions.map(([text, from, to]) => {
      const ip = parseIp(text);
      if (ip === undefined || to < from) throw new Problem(400, 'bad-command', `${text} is no question`);
      return { kind: 'ask' as const, ip, from: epochMillis(from), to: epochMillis(to), sent: false };
    });
    const windows = askAttributions(engine, visibility, cluster.id, () => now)((answer) => answer, asked.aboutFree);
    return { exitCode: 0, out: '', err: '', attributions: eachOnce(await askAll(windows, questions)) };
  } catch (error) {
    // As the command would say it; everything else is the server's to report.
    if (!(error instanceof CliError)) throw error;
    return { exitCode: error.exitCode, out: '', err: `${describeError(error, false)}\n` };
  }
}

function eachOnce(all: readonly Attribution[]): NonNullable<RanCommand['attributions']> {
  const places = new Map<Attribution, number>();
  const answers = all.map((answer) => {
    const place = places.get(answer) ?? places.size;
    places.set(answer, place);
    return place;
  });
  return { unique: [...places.keys()], answers };
}
