// A row of the feed: one pod that ended, or one annotation that changed.

import { Link } from '../../address/link.tsx';
import { CauseLabel } from '../../parts/cause-label.tsx';
import { HolderName, NodeName, WorkloadName } from '../../parts/holder-name.tsx';
import { Time } from '../../parts/time.tsx';
import { serverNow } from '../../times/server-clock.ts';
import { durationText } from '../../times/span.ts';
import { timesAround } from '../../times/times-around.ts';
import { ChangeDiff } from './change-diff.tsx';
import type { ChangeItem, FeedItem, MoveItem } from './feed-item.ts';

export function FeedRow({ item }: { readonly item: FeedItem }) {
  return (
    <li class="feed-row">
      <Time at={item.at} />
      {item.kind === 'move' ? <MoveRow item={item} /> : <ChangeRow item={item} />}
    </li>
  );
}

function MoveRow({ item: { move } }: { readonly item: MoveItem }) {
  const { cause, certainty, sentence, from, to, successor, downtimeMs, workload, uid, at, fromIps, toIps } = move;
  const times = timesAround(Date.parse(at), serverNow());
  return (
    <>
      <CauseLabel cause={cause} certainty={certainty} />
      <div class="feed-what">
        <div>
          <HolderName holder={move} times={times} /> {sentence}
        </div>
        <div class="feed-more">
          <span>
            <NodeName node={from} times={times} /> <span aria-hidden="true">→</span>
            <span class="visually-hidden">to</span>{' '}
            {to === null ? <span class="muted">nobody took its place</span> : <NodeName node={to} times={times} />}
          </span>
          {successor !== null && (
            <span>
              {successor.certain ? 'replaced by ' : 'probably replaced by '}
              <HolderName holder={successor} times={times} />
            </span>
          )}
          {workload !== null && <WorkloadName holder={move} times={times} />}
          {downtimeMs !== null && <span>not ready for {durationText(downtimeMs)}</span>}
          {fromIps.length > 0 && (
            <span class="mono">
              {each(fromIps)}
              {toIps.length > 0 && ` → ${each(toIps)}`}
            </span>
          )}
          <Link view="trail" parameters={{ subject: uid, selected: uid, ...times }}>
            Evidence
          </Link>
        </div>
      </div>
    </>
  );
}

/** A pod that has an address again has it once. */
function each(ips: readonly string[]): string {
  return [...new Set(ips)].join(', ');
}

const WORDS = { added: 'was added', changed: 'changed', removed: 'was removed', suppressed: '' };

function ChangeRow({ item: { change, at } }: { readonly item: ChangeItem }) {
  const { key, namespace, name, uid, suppressed } = change;
  const holder = { kind: 'Pod', namespace, name, uid, node: '', workload: null } as const;
  return (
    <>
      <span class="cause" title="Annotation">
        <span aria-hidden="true">✎</span> annotation
      </span>
      <div class="feed-what">
        <div>
          <HolderName holder={holder} times={timesAround(at, serverNow())} />{' '}
          {suppressed === undefined ? (
            <>
              <code>{key}</code> {WORDS[change.change]}
            </>
          ) : (
            <>
              had {suppressed.changes} more changes up to <Time at={suppressed.last} />, which were only counted: too
              many of this {suppressed.budget}
            </>
          )}
        </div>
        {suppressed === undefined && <ChangeDiff change={change} />}
      </div>
    </>
  );
}
