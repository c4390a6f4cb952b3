// What matches a name: pods, workloads, nodes, Services and addresses, each a link to where it was.
import type { FindDocument } from '@podtrail/history/wire';
import { Link } from '../../address/link.tsx';
import type { Parameters, ViewName } from '../../address/page-address.ts';
import { useQuestion } from '../../api/use-question.ts';
import { AskedContent } from '../../parts/asked-content.tsx';
import { csvText } from '../../parts/csv.ts';
import { SaveButtons } from '../../parts/save-buttons.tsx';
import { Empty } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { serverNow } from '../../times/server-clock.ts';
import { trailTimes } from './asked.ts';
import { isWholeName } from './whole-name.ts';

type Match = FindDocument['matches'][number];

export function Matches({
  text,
  at,
  cluster,
}: {
  readonly text: string;
  readonly at: string | undefined;
  readonly cluster: string | undefined;
}) {
  const asked = useQuestion<FindDocument>('find', { text, limit: 50, cluster });
  return (
    <section class="card" aria-labelledby="matches">
      <h2 id="matches">What is called “{text}”</h2>
      <AskedContent asked={asked}>
        {({ matches, complete, narrowed }) =>
          matches.length === 0 ? (
            <Empty
              title={complete ? 'Nothing of that name is on record' : 'The search was cut off before it found any'}
            >
              {narrowed === true
                ? 'You see some namespaces only: it may be in another.'
                : complete
                  ? 'Look at the spelling; a part of the name is enough.'
                  : `Ask again${isWholeName(text) ? '' : ', or write the whole name'}.`}
            </Empty>
          ) : (
            <>
              <ul class="matches">
                {matches.map((match) => (
                  <li key={`${match.kind} ${match.namespace} ${match.name} ${match.uid}`}>
                    <MatchLine match={match} at={at} />
                  </li>
                ))}
              </ul>
              <div class="row actions">
                <SaveButtons name="matches" csv={() => csvText(HEADER, matches.map(rowOf))} />
              </div>
              {!complete && (
                <p class="muted small">There may be more{isWholeName(text) ? '' : ': write more of the name'}.</p>
              )}
            </>
          )
        }
      </AskedContent>
    </section>
  );
}

const HEADER = ['kind', 'namespace', 'name', 'uid', 'node', 'living', 'last'];

function rowOf({ kind, namespace, name, workloadKind, uid, node, living, last }: Match) {
  return [workloadKind ?? kind, namespace, name, uid, node, String(living), last];
}

function MatchLine({ match, at }: { readonly match: Match; readonly at: string | undefined }) {
  const { kind, namespace, name, workloadKind, node, living, last } = match;
  const [view, parameters] = targetOf(match, at);
  return (
    <>
      <span class="muted kind">{kind === 'Workload' ? (workloadKind ?? kind) : kind}</span>{' '}
      <Link view={view} parameters={parameters} class="name">
        {namespace === null ? name : `${namespace}/${name}`}
      </Link>{' '}
      {kind === 'Pod' && node !== null && <span class="muted">on {node} </span>}
      {living ? (
        <span class="muted">· there now</span>
      ) : (
        last !== null && (
          <span class="muted">
            · last <Time at={last} />
          </span>
        )
      )}
    </>
  );
}

function targetOf(
  { kind, namespace, name, uid, workloadKind }: Match,
  at: string | undefined,
): readonly [ViewName, Parameters] {
  const times = trailTimes(at, serverNow());
  const of: Parameters = namespace === null ? times : { namespace, ...times };
  switch (kind) {
    case 'Address':
      return ['ask', at === undefined ? { ip: name } : { ip: name, at }];
    case 'Node':
      return ['trail', { by: 'pod', node: name, ...times }];
    case 'Service':
      return ['trail', { subject: `svc/${name}`, ...of }];
    case 'Workload':
      return ['trail', { subject: `${(workloadKind ?? 'deployment').toLowerCase()}/${name}`, ...of }];
    case 'Pod':
      return ['trail', uid === null ? { subject: name, ...of } : { subject: uid, ...times }];
  }
}
