import { z } from 'zod';
import { CursorPaging, Id, text } from './conventions.ts';

/** What a patient's story is narrowed to. */
export const STORY_KINDS = ['visits', 'subscriptions', 'sign_in', 'record', 'messages'] as const;
export type StoryKind = (typeof STORY_KINDS)[number];

export const ListStoryInput = z.strictObject({
  ...CursorPaging,
  patient_id: Id,
  kind: z.enum(STORY_KINDS).optional(),
  /** One visit or subscription: its part of the story. */
  object_id: text(255).optional(),
});
export type ListStoryInput = z.infer<typeof ListStoryInput>;

/** One thing that happened, as a sentence for people. */
export type StoryLineView = {
  id: string;
  at: string;
  /** `other` is what no chapter tells of: it is told all the same. */
  kind: StoryKind | 'other';
  title: string;
  /** What more there is to say: the fields that changed, never what stood in them. */
  note: string | null;
  /** Who did it, by name where there is one now. */
  by: string;
  /** The visit or subscription that it is about: what it is called, and when the visit was to be, as it was told then. */
  about: {
    id: string;
    name: string | null;
    from_date: string | null;
    /** Of a visit that was moved: when it was to be before, as far as the lines beside it tell. */
    moved_from: string | null;
  } | null;
};

/** `json` is a file to keep, `page` the same for the page that prints it. */
export const ExportChartInput = z.strictObject({ patient_id: Id, format: z.enum(['json', 'page']) });
export type ExportChartInput = z.infer<typeof ExportChartInput>;

/** All that is kept of one patient: beside this a list of rows for each kind. */
export type ChartExport = {
  format: 'carelane.patient.1';
  patient_id: string;
  exported_at: string;
  clinic: string;
  /** Tables that say something of the patient and are not in here, with the reason. */
  left_out: Record<string, string>;
};
