// A pod that goes on in a new sandbox: whether a boot of its node is why.
import { at } from '../../engines/testing/record-builders.ts';
import { aCase, aLife, END, event, evidence, NODE, POD } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const living = aLife({ deletion: undefined, gone: undefined });
const changed = (seconds: number) => event(POD, 'kubelet', 'SandboxChanged', seconds);
const booted = (seconds: number) => evidence(NODE, 'booted', seconds, { reason: 'boot-2' });

verdictTable('a new sandbox and a boot of the node', {
  'a boot eight minutes later, often because of the same fault': [
    aCase(living, { pod: [changed(END)], node: [booted(END + 480)] }),
    { cause: 'SandboxReplaced', certainty: 'certain', cites: 1 },
  ],
  'the first sandbox since the boot, which waited for its network': [
    aCase(living, { pod: [changed(END)], node: [booted(END - 240)] }),
    { cause: 'Reboot', certainty: 'certain', cites: 2 },
  ],
  'the second sandbox since the boot, minutes after the first': [
    aCase(living, { pod: [changed(END - 295), changed(END)], node: [booted(END - 300)] }),
    { cause: 'SandboxReplaced', certainty: 'certain', cites: 1 },
  ],
  'the second sandbox since the boot, soon after the first: it may be made once more for the same reason': [
    aCase(living, { pod: [changed(END - 40), changed(END)], node: [booted(END - 45)] }),
    { cause: 'Reboot', certainty: 'inferred' },
  ],
  'a boot eight minutes before, and no event says when the sandbox changed': [
    aCase(living, { node: [booted(END - 480)] }),
    { cause: 'Reboot', certainty: 'inferred' },
  ],
  'a boot eight minutes later, and no event says when the sandbox changed': [
    aCase(living, { node: [booted(END + 480)] }),
    { cause: 'SandboxReplaced', certainty: 'inferred' },
  ],
});

verdictTable('a pod that goes on', {
  'a new sandbox': [
    aCase(living, { pod: [changed(END)] }),
    { cause: 'SandboxReplaced', certainty: 'certain', cites: 1 },
  ],
  'a new sandbox of which no event was seen': [aCase(living), { cause: 'SandboxReplaced', certainty: 'inferred' }],
  'a new sandbox because of a reboot': [
    aCase(living, { node: [evidence(NODE, 'booted', END)] }),
    { cause: 'Reboot', certainty: 'certain' },
  ],
  'a new sandbox of a pod that came after the reboot': [
    aCase(aLife({ ...living, created: at(700), scheduled: at(701) }), {
      node: [evidence(NODE, 'booted', 650)],
      pod: [changed(END)],
    }),
    { cause: 'SandboxReplaced', certainty: 'certain', cites: 1 },
  ],
  'a new sandbox of a pod that is deleted some seconds later': [
    aCase(aLife({ deletion: { requested: at(END + 7), graceSeconds: 5 }, gone: at(END + 9) }), {
      pod: [changed(END + 1)],
    }),
    { cause: 'SandboxReplaced', certainty: 'certain', cites: 1 },
  ],
  'a reboot that a pod survives, and is deleted some seconds later': [
    aCase(aLife({ deletion: { requested: at(END + 7), graceSeconds: 5 }, gone: at(END + 9) }), {
      pod: [changed(END + 1)],
      node: [evidence(NODE, 'booted', END + 1)],
    }),
    { cause: 'Reboot', certainty: 'certain', cites: 2 },
  ],
  'a sandbox that changed before the pod was deleted is not why it was': [
    aCase(aLife(), { pod: [changed(990)] }),
    { cause: 'DeletedOnRequest' },
  ],
});
