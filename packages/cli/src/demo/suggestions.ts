// Five commands to try, with names, addresses and times of this very run: taken from what really happened in the
// simulated cluster, so that each has something to show.
import type { TrueTenure } from '@podtrail/sandbox';

export interface SuggestionOptions {
  readonly tenures: readonly TrueTenure[];
  readonly now: number;
  /** How podtrail is called here: see `calledAs`. */
  readonly program: string;
  readonly store: string;
  readonly flows: string;
}

export interface Suggestion {
  readonly why: string;
  readonly command: string;
}

/** Long enough that the middle of it is certain. */
const LONG_MS = 5 * 60_000;

export function suggestions(options: SuggestionOptions): Suggestion[] {
  const { program, flows } = options;
  const store = `--store sqlite:${options.store}`;
  const ended = options.tenures.filter(
    (tenure): tenure is TrueTenure & { to: number } =>
      !tenure.hostNetwork && tenure.to !== undefined && tenure.to - tenure.from > LONG_MS && isV4(tenure.ip),
  );
  const reused = findLast(ended, (tenure) => isHeldAgain(options.tenures, tenure));
  const fallback = options.tenures.find((tenure) => !tenure.hostNetwork && isV4(tenure.ip));
  const asked = reused ?? ended.at(-1) ?? fallback;
  if (asked === undefined) return [];
  const middle = rfc3339((asked.from + (asked.to ?? options.now)) / 2);
  const moved = mostLives(options.tenures) ?? asked;
  return [
    {
      why: `who held ${asked.ip} then${reused === undefined ? '' : ' (somebody else has had it since)'}`,
      command: `${program} who ${asked.ip} --at ${middle} ${store}`,
    },
    {
      why: `the trail of a pod${cameBack(returnsOf(options.tenures, moved))}`,
      command: `${program} trail ${moved.name} -n ${moved.namespace} ${store}`,
    },
    {
      why: `why ${asked.name} ended`,
      command: `${program} explain ${asked.name} -n ${asked.namespace} --at ${middle} ${store}`,
    },
    {
      why: 'a flow log, line by line',
      command: `${program} attribute ${flows} --ip src_ip --time time ${store}`,
    },
    {
      why: 'when nobody was watching (press k first: it kills the recorder for 20 s)',
      command: `${program} gaps ${store}`,
    },
  ];
}

/** What a person types: npx finds it in a clone, and npm sets this when npx has started it. */
export function calledAs(env: NodeJS.ProcessEnv, source: string = import.meta.url): string {
  return source.endsWith('.ts') || env['npm_command'] === 'exec' ? 'npx podtrail' : 'podtrail';
}

function isHeldAgain(tenures: readonly TrueTenure[], first: TrueTenure & { to: number }): boolean {
  return tenures.some(({ ip, uid, from }) => ip === first.ip && uid !== first.uid && from >= first.to);
}

/** The name under which most pods have lived: a member of a StatefulSet keeps its name wherever it goes. */
function mostLives(tenures: readonly TrueTenure[]): TrueTenure | undefined {
  const lives = new Map<string, { readonly uids: Set<string>; readonly last: TrueTenure }>();
  let best: { readonly uids: Set<string>; readonly last: TrueTenure } | undefined;
  for (const tenure of tenures) {
    if (tenure.hostNetwork) continue;
    const name = `${tenure.namespace}/${tenure.name}`;
    const known = lives.get(name) ?? { uids: new Set<string>(), last: tenure };
    known.uids.add(tenure.uid);
    lives.set(name, known);
    if (best === undefined || known.uids.size > best.uids.size) best = known;
  }
  return best?.last;
}

function cameBack(times: number): string {
  return times === 0 ? '' : ` that came back ${times === 1 ? 'once' : `${times} times`}`;
}

function returnsOf(tenures: readonly TrueTenure[], { namespace, name }: TrueTenure): number {
  return new Set(tenures.filter((t) => t.namespace === namespace && t.name === name).map(({ uid }) => uid)).size - 1;
}

function findLast<T>(items: readonly T[], fits: (item: T) => boolean): T | undefined {
  // Newest first: what happened lately is what people ask about.
  for (let i = items.length - 1; i >= 0; i--) if (fits(items[i] as T)) return items[i];
  return undefined;
}

function isV4(ip: string): boolean {
  return !ip.includes(':');
}

function rfc3339(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
