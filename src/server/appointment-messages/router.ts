import { GetCalendarFeedInput } from '#contract/calendar.ts';
import { DailyListInput } from '#contract/daily-list.ts';
import { MessageTemplatesInput, UpdateMessageSettingsInput } from '#contract/message-settings.ts';
import { NoInput } from '#contract/patients.ts';
import { ListVisitMessagesInput, VisitMessageInput } from '#contract/visit-messages.ts';
import { noPatient, patientData, router } from '../core/trpc.ts';
import { listAppointmentMessages, resendMessage, skipMessage } from './appointment-messages.ts';
import { createFeed, deleteFeed, getFeed, readFeed } from './calendar-feed.ts';
import { getMessageSettings, updateMessageSettings } from './message-settings.ts';
import { getDailyList, setDailyList } from './own-daily-list.ts';
import { previewMessage, testMessage } from './preview-message.ts';

export { receiveTwilioWebhook } from './delivery-report.ts';

/** Messages of an appointment. */
export const appointmentMessagesRouter = router({
  list: patientData('Appointment')
    .input(ListVisitMessagesInput)
    .query(({ ctx, input }) => listAppointmentMessages(ctx, input)),
  sendAgain: patientData('Appointment')
    .input(VisitMessageInput)
    .mutation(({ ctx, input }) => resendMessage(ctx, input)),
  skip: patientData('Appointment')
    .input(VisitMessageInput)
    .mutation(({ ctx, input }) => skipMessage(ctx, input)),
});

/** What a tenant sends, and the texts. */
export const messageSettingsRouter = router({
  get: noPatient.input(NoInput.optional()).query(({ ctx }) => getMessageSettings(ctx)),
  update: noPatient.input(UpdateMessageSettingsInput).mutation(({ ctx, input }) => updateMessageSettings(ctx, input)),
  // A mutation, because unsaved texts are too long for a query string.
  preview: noPatient.input(MessageTemplatesInput).mutation(({ ctx, input }) => previewMessage(ctx, input)),
  test: noPatient.input(MessageTemplatesInput).mutation(({ ctx, input }) => testMessage(ctx, input)),
});

/** The calendar subscription of a staff user's own appointments, and its file. */
export const calendarFeedRouter = router({
  get: noPatient.input(NoInput.optional()).query(({ ctx }) => getFeed(ctx)),
  make: noPatient.input(NoInput.optional()).mutation(({ ctx }) => createFeed(ctx)),
  end: noPatient.input(NoInput.optional()).mutation(({ ctx }) => deleteFeed(ctx)),
  open: patientData('Appointment')
    .input(GetCalendarFeedInput)
    .query(({ ctx, input }) => readFeed(ctx, input)),
});

/** The daily email with a staff user's own appointments. */
export const dailyListRouter = router({
  get: noPatient.input(NoInput.optional()).query(({ ctx }) => getDailyList(ctx)),
  set: noPatient.input(DailyListInput).mutation(({ ctx, input }) => setDailyList(ctx, input)),
});
