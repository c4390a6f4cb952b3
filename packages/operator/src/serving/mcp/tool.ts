// A tool of the Model Context Protocol: a question that an assistant asks. Read only, every one of them.
import type { QuestionName } from '@podtrail/history/wire/catalogue';
import type { z } from 'zod';

/** Asks a question of the catalogue; rejects with an error that has a message and a hint. */
export type Ask = (name: QuestionName, parameters: ToolInput) => Promise<object>;

export type ToolInput = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  /** What it answers, when to use it and what its answers mean: all that a model knows before it calls. */
  readonly description: string;
  readonly input: z.ZodObject;
  /** Of a listing: the list that `limit` and `cursor` page through. */
  readonly list?: 'stays' | 'pods' | 'moves' | 'gaps';
  /** What to write instead of a subject that is refused; the question's own hint knows no tools. */
  readonly aboutSubject?: string;
  /** `input` has been checked, and is as it came: the question reads its times. */
  readonly run: (ask: Ask, input: ToolInput) => Promise<object>;
}
