// The commands that list what the feed shows, one on a line. Pure. The text is looked for in what it prints.
import { commandLine, quoted } from '../../parts/command-line.ts';
import { instantText } from '../../times/span.ts';
import { type FeedFilter, feedQuestions } from './feed-filter.ts';
import type { FeedRange } from './feed-reader.ts';

/** Empty where there is none: the command lists the changes of a pod or a workload, not those of all pods. */
export function feedCommand(filter: FeedFilter, { from, to }: FeedRange, cluster: string | undefined): string {
  const { namespace, causes, text } = filter;
  const grep = text === '' ? '' : ` | grep -iF -- ${quoted(text)}`;
  return feedQuestions(filter, cluster)
    .filter(({ name }) => name === 'moves')
    .map(
      ({ parameters: { fromNode, toNode } }) =>
        `${commandLine('moves', namespace === undefined ? ['-A'] : [], {
          cause: causes.length > 0 ? causes.join(',') : undefined,
          'from-node': fromNode?.toString(),
          'to-node': toNode?.toString(),
          ...{ n: namespace, since: instantText(from), until: instantText(to), cluster },
        })}${grep}`,
    )
    .join('\n');
}
