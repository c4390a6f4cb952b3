// The pods of one node at the instant that is shown, beside the tiles.
import type { NodeDocument } from '@podtrail/history/wire';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { address, adjust } from '../../address/location.ts';
import { useQuestion } from '../../api/use-question.ts';
import { type Key, useKeys } from '../../frame/keys.ts';
import { AskedContent } from '../../parts/asked-content.tsx';
import { commandLine } from '../../parts/command-line.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { NothingListed } from '../../parts/empty-listing.tsx';
import { HolderName, NodeName, WorkloadName } from '../../parts/holder-name.tsx';
import { Time } from '../../parts/time.tsx';
import { instantText } from '../../times/span.ts';

const MOST = 500;

export function NodePanel({
  node,
  at,
  now,
}: {
  readonly node: string;
  /** Undefined: now. */
  readonly at: number | undefined;
  readonly now: number;
}) {
  const { cluster, namespace } = address.value.parameters;
  const when = at === undefined ? undefined : instantText(at);
  const asked = useQuestion<NodeDocument>('node', { node, at: when, namespace, cluster, limit: MOST });
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), [node]);
  const close = () => {
    adjust({ node: undefined }, true);
    document.getElementById(`tile ${node}`)?.focus();
  };
  const keys = useMemo((): readonly Key[] => [{ key: 'Escape', does: 'close the node', run: close }], [node]);
  useKeys(keys);
  return (
    <aside class="card node-panel" aria-labelledby="node-title">
      <div class="row health-head">
        <h2 id="node-title" class="name" tabIndex={-1} ref={title}>
          {node}
        </h2>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
      <p class="row small">
        <span>
          Trail of <NodeName node={node} />
        </span>
        <CopyButton text={() => commandLine('node', [node], { at: when ?? instantText(now), n: namespace, cluster })}>
          Copy as command
        </CopyButton>
      </p>
      <AskedContent asked={asked} lines={6}>
        {({ pods, more, coverage, narrowed }) => {
          if (pods.length === 0) {
            const instant = at ?? now;
            return (
              <NothingListed
                {...{ coverage, from: instant, to: instant }}
                isFiltered={namespace !== undefined}
                isNarrowed={narrowed === true}
              />
            );
          }
          return (
            <>
              <ul class="node-pods">
                {pods.map((pod) => (
                  <li key={`${pod.uid} ${pod.start.at}`}>
                    <div>
                      <HolderName holder={pod} />
                      {!pod.certain && <span class="muted"> (not certain)</span>}
                    </div>
                    <div class="feed-more">
                      <WorkloadName holder={pod} />
                      {pod.hostNetwork && <span>host network</span>}
                      <span>
                        since <Time at={pod.start.at} />
                      </span>
                    </div>
                  </li>
                ))}
              </ul>
              {more && <p class="muted">There are more than {MOST}.</p>}
            </>
          );
        }}
      </AskedContent>
    </aside>
  );
}
