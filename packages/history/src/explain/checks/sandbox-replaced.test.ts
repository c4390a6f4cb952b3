// A pod that goes on in a new sandbox: whether a boot of its node is why.
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
