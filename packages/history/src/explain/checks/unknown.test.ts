// Ends of which no check knows the cause: the sentence says why not.
import { at } from '../../engines/testing/record-builders.ts';
import { owned } from '../testing/cart-builders.ts';
import { aCase, aLife, END, terminated } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const unseen = { deletion: undefined, gone: at(END), source: 'inferred' } as const;

verdictTable('an end without a known cause', {
  'a pod that was gone when the watch came back': [
    aCase(aLife(unseen)),
    { cause: 'Unknown', sentence: 'ended, and why is not known: it was gone when the watch came back.' },
  ],
  'a pod that was gone, and nobody had watched anything else': [
    aCase(aLife({ ...owned, ...unseen }), { unwatched: ['events', 'nodes'] }),
    {
      cause: 'Unknown',
      sentence: 'ended, and why is not known: it was gone when the watch came back, and events were not watched then.',
    },
  ],
  'a pod that failed and says nothing': [
    aCase(terminated('Failed')),
    { cause: 'Unknown', sentence: 'ended, and why is not known: it failed, and no container says why.' },
  ],
});
