// What is posted to have a command run, and what comes back: posted commands are checked by the first, and /openapi.json is
// made of both.
import { z } from 'zod';
import { ASKING, MOST_QUESTIONS, type RemoteCommand } from './remote-command.ts';

const instant = z.int().min(0).max(253_402_300_800_000);

export const commandSchema = z.strictObject({
  words: z
    .array(z.string().max(1_000))
    .min(1)
    .max(100)
    .meta({ description: `The command first: ${ASKING.join(', ')}, or \`attribute\` with \`asked\`; then its flags.` }),
  zone: z.string().max(100).meta({ description: 'IANA name of the time zone in which times are read and written.' }),
  namespace: z.string().max(253).nullable().meta({ description: 'What -n is if it is left out; null: nothing.' }),
  colour: z.boolean().meta({ description: 'Standard output is a terminal that shows colours.' }),
  asked: z
    .strictObject({
      aboutFree: z.boolean().meta({ description: 'Who had a free address before and after, too.' }),
      cluster: z.string().max(253).optional(),
      questions: z
        .array(z.tuple([z.string().max(45), instant, instant]))
        .max(MOST_QUESTIONS)
        .meta({ description: 'Address, beginning and end in milliseconds; one instant is written twice.' }),
    })
    .optional()
    .meta({ description: 'Of `attribute`: what the rows ask.' }),
}) satisfies z.ZodType<RemoteCommand>;

export const ranSchema = z.strictObject({
  exitCode: z.int().meta({ description: 'As the command ends with it.' }),
  out: z.string().meta({ description: 'Standard output.' }),
  err: z.string().meta({ description: 'Standard error.' }),
  attributions: z
    .strictObject({
      unique: z.array(z.looseObject({ answer: z.string() })).meta({
        description: 'Each different answer once, as a podtrail of the version of the server reads it.',
      }),
      answers: z.array(z.int().min(0)).meta({ description: 'For each question its place among them.' }),
    })
    .optional(),
});
