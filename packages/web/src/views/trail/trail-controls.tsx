// What the lanes are, and whom they are about. All of it in the URL.
import { useEffect, useState } from 'preact/hooks';
import { adjust } from '../../address/location.ts';
import type { Parameters } from '../../address/page-address.ts';
import { Choice } from '../../parts/choice.tsx';
import type { Colouring } from '../../timeline/scene.ts';
import { type LaneKind, laneKind, subjectChanges, subjectText } from './trail-question.ts';

const LANE_WORDS: Readonly<Record<LaneKind, string>> = { node: 'Node', workload: 'Workload', pod: 'Pod', ip: 'IP' };

const NOTHING = { selected: undefined };

export interface TrailControlsProps {
  readonly parameters: Parameters;
  readonly colouring: Colouring;
}

export function TrailControls({ parameters, colouring }: TrailControlsProps) {
  const shown = subjectText(parameters);
  const [subject, setSubject] = useState(shown);
  const [namespace, setNamespace] = useState(parameters['namespace'] ?? '');
  // Links, back and forward change it from outside.
  useEffect(() => setSubject(shown), [shown]);
  useEffect(() => setNamespace(parameters['namespace'] ?? ''), [parameters['namespace']]);
  const submit = (event: Event) => {
    event.preventDefault();
    const changes = subject.trim() === shown ? {} : subjectChanges(subject);
    adjust({ ...changes, namespace: namespace.trim() }, true);
  };
  return (
    <form class="row trail-controls" onSubmit={submit}>
      <Choice name="by" label="What a lane is" options={LANE_WORDS} value={laneKind(parameters)} also={NOTHING} />
      <label>
        <span class="visually-hidden">Subject</span>
        <input
          type="search"
          class="mono trail-subject"
          placeholder="all, pod, deploy/cart, node/a, IP"
          value={subject}
          autoComplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => setSubject(currentTarget.value)}
        />
      </label>
      <label>
        <span class="visually-hidden">Namespace</span>
        <input
          type="search"
          class="mono trail-namespace"
          placeholder="namespace"
          value={namespace}
          autoComplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => setNamespace(currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary">
        Show
      </button>
      <label>
        <span class="visually-hidden">Colour</span>
        <select value={colouring} onChange={({ currentTarget }) => adjust({ colour: currentTarget.value }, true)}>
          <option value="workload">Colour by workload</option>
          <option value="cause">Colour by cause of the end</option>
        </select>
      </label>
    </form>
  );
}
