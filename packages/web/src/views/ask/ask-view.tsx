// The home: one box that takes an address, a name, or a whole line of a log, and the answer as a card.
import { address, go } from '../../address/location.ts';
import { sharedParameters } from '../../address/page-address.ts';
import { AnswerCard } from './answer-card.tsx';
import { askedOf } from './asked.ts';
import { Matches } from './matches.tsx';
import { QuestionBox } from './question-box.tsx';
import { RecentQuestions } from './recent-list.tsx';
import { remember } from './recent-questions.ts';

export function AskView() {
  const { parameters } = address.value;
  const asked = askedOf(parameters);
  const cluster = parameters['cluster'];
  return (
    <div class="ask">
      <QuestionBox
        asked={asked}
        cluster={cluster}
        onAsk={(question) => {
          remember(question);
          go({ view: 'ask', parameters: { ...sharedParameters(parameters), ...question } });
        }}
      />
      {asked.kind === 'address' && <AnswerCard ip={asked.ip} at={asked.at} isSeen={asked.isSeen} cluster={cluster} />}
      {asked.kind === 'name' && <Matches text={asked.text} at={asked.at} cluster={cluster} />}
      {asked.kind === 'nothing' && <RecentQuestions />}
    </div>
  );
}
