import { expectTypeOf, test } from 'vitest';
import type { AvailabilityView } from '#contract/availability.ts';
import type { ManageLinkView } from '#contract/managed-subscription.ts';
import type { PatientView } from '#contract/patients.ts';
import type { AppointmentTypeView, AppointmentView } from '#contract/scheduling.ts';
import type { PlanView, SubscriptionView } from '#contract/subscriptions.ts';
import type { Appointment, AppointmentType, ManageLink, Patient, Plan, Slot, Subscription } from './steps/api-types.ts';

test('the types of the app match the responses of the API', () => {
  expectTypeOf<PatientView>().toExtend<Patient>();
  expectTypeOf<PlanView>().toExtend<Plan>();
  expectTypeOf<SubscriptionView>().toExtend<Subscription>();
  expectTypeOf<ManageLinkView>().toExtend<ManageLink>();
  expectTypeOf<AppointmentTypeView>().toExtend<AppointmentType>();
  expectTypeOf<AvailabilityView>().toExtend<Slot>();
  expectTypeOf<AppointmentView>().toExtend<Appointment>();
});
