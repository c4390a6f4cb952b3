// Why a pod ended, with what that rests on: the answer of `explain`, beside the timeline.
import type { ExplainDocument } from '@podtrail/history/wire';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { address } from '../../address/location.ts';
import { useQuestion } from '../../api/use-question.ts';
import { type Key, useKeys } from '../../frame/keys.ts';
import { AskedContent } from '../../parts/asked-content.tsx';
import { causeText } from '../../parts/cause.ts';
import { CauseLabel } from '../../parts/cause-label.tsx';
import { counted } from '../../parts/counted.ts';
import { NodeName, WorkloadName } from '../../parts/holder-name.tsx';
import { sentence } from '../../parts/sentence.ts';
import { Time } from '../../parts/time.tsx';
import { durationText } from '../../times/span.ts';

export interface EvidencePanelProps {
  readonly uid: string;
  readonly onOpen: (uid: string | undefined) => void;
}

export function EvidencePanel({ uid, onOpen }: EvidencePanelProps) {
  const { cluster } = address.value.parameters;
  const asked = useQuestion<ExplainDocument>('explain', { subject: uid, cluster });
  const panel = useRef<HTMLElement>(null);
  const close = () => {
    onOpen(undefined);
    document.querySelector<HTMLElement>('.timeline')?.focus();
  };
  const keys = useMemo((): readonly Key[] => [{ key: 'Escape', does: 'close the evidence', run: close }], [uid]);
  useKeys(keys);
  // On a narrow page it is below everything, and must be as long as it is to be brought to the top.
  useEffect(() => {
    if (matchMedia('(max-width: 1099px)').matches) panel.current?.scrollIntoView();
  }, [uid, asked.document]);
  return (
    <aside class="card evidence" aria-labelledby="evidence-title" ref={panel}>
      <div class="row evidence-top">
        <h2 id="evidence-title">Evidence</h2>
        <button type="button" onClick={close} aria-label="Close the evidence">
          ×
        </button>
      </div>
      <AskedContent asked={asked}>{(document) => <Explained document={document} onOpen={onOpen} />}</AskedContent>
    </aside>
  );
}

function Explained({
  document,
  onOpen,
}: {
  readonly document: ExplainDocument;
  readonly onOpen: EvidencePanelProps['onOpen'];
}) {
  const { pod, isAlive, cause, certainty, sentence: why, hint, ended, downtimeMs, unwatched } = document;
  if (pod === null) return <p>There is no record of this pod: it never ran, or its records were removed.</p>;
  return (
    <>
      <p>
        <strong class="name">
          {pod.namespace}/{pod.name}
        </strong>
        <br />
        on <NodeName node={pod.node} />, <WorkloadName holder={pod} />
      </p>
      {cause !== null && (
        <p>
          <CauseLabel cause={cause} certainty={certainty} />
        </p>
      )}
      <p>{why !== null ? sentence(why) : isAlive ? 'It is still there.' : 'Why it ended was not recorded.'}</p>
      {hint !== undefined && <p class="muted">{sentence(hint)}</p>}
      {ended !== null && (
        <p>
          Began to end <Time at={ended} />
          {downtimeMs !== null && `, its place was empty for ${durationText(downtimeMs)}`}
        </p>
      )}
      <Neighbours document={document} onOpen={onOpen} />
      <Lifecycle document={document} />
      <Notes notes={document.evidence} />
      {unwatched.length > 0 && <p class="muted small">Nobody watched then: {unwatched.join(', ')}.</p>}
    </>
  );
}

function Neighbours({
  document: { predecessor, successor },
  onOpen,
}: {
  readonly document: ExplainDocument;
  readonly onOpen: EvidencePanelProps['onOpen'];
}) {
  return (
    <dl class="evidence-neighbours">
      {predecessor !== null && (
        <>
          <dt>Took the place of</dt>
          <dd>
            <PodButton uid={predecessor.uid} name={predecessor.name} onOpen={onOpen} /> on{' '}
            <NodeName node={predecessor.node} /> ({causeText(predecessor.cause)})
          </dd>
        </>
      )}
      {successor !== null && (
        <>
          <dt>Its place was taken by</dt>
          <dd>
            <PodButton uid={successor.uid} name={successor.name} onOpen={onOpen} /> on{' '}
            <NodeName node={successor.node} />
            {!successor.certain && <span class="muted"> (inferred)</span>}
          </dd>
        </>
      )}
    </dl>
  );
}

function PodButton({
  uid,
  name,
  onOpen,
}: {
  readonly uid: string;
  readonly name: string;
  readonly onOpen: EvidencePanelProps['onOpen'];
}) {
  return (
    <button type="button" class="plain name" onClick={() => onOpen(uid)}>
      {name}
    </button>
  );
}

function Lifecycle({ document: { lifecycle, restarts, qosClass } }: { readonly document: ExplainDocument }) {
  if (lifecycle.length === 0) return null;
  return (
    <>
      <h3>Life</h3>
      <ol class="evidence-list">
        {lifecycle.map(({ name, at, afterMs, detail }) => (
          <li key={name}>
            <Time at={at} format="clock" /> <strong>{name}</strong>
            {afterMs !== null && <span class="muted"> after {durationText(afterMs)}</span>}
            {detail !== '' && <span> {detail}</span>}
          </li>
        ))}
      </ol>
      <p class="muted small">
        {restarts !== null && counted(restarts, 'restart')}
        {qosClass !== null && qosClass !== '' && `, ${qosClass}`}
      </p>
    </>
  );
}

function Notes({ notes }: { readonly notes: ExplainDocument['evidence'] }) {
  const inOrder = [...notes].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return (
    <>
      <h3>What it rests on</h3>
      {inOrder.length === 0 && <p class="muted">There is no evidence besides the pod itself.</p>}
      <ol class="evidence-list">
        {inOrder.map(({ id, at, about, reason, message, by, count, source, used }) => (
          <li key={id} class={used ? 'used' : undefined}>
            <Time at={at} format="clock" /> {used && <span title="The verdict rests on it">★ </span>}
            <strong>{reason}</strong> {count > 1 && `× ${count} `}
            <span class="muted">
              {about.kind} {about.name}
            </span>
            {message !== '' && <div>{message}</div>}
            <div class="muted small">
              {source}
              {by !== '' && `, by ${by}`}
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}
