import type { PatientView } from '#contract/patients.ts';
import type { Patient, PatientAddress, PatientPhone } from '#generated/prisma/client.ts';
import { ageOn } from './age.ts';
import { racesFromTexts } from './races.ts';

type Stamp = 'birthDate' | 'termsAcceptedAt' | 'archivedAt' | 'careEndingAt' | 'createdAt' | 'updatedAt';

/** A patient with phones and addresses from Prisma, or from `selectPatients`, where dates are strings. */
export type PatientRecord = Omit<Patient, Stamp | 'searchText' | 'careEndingProblems'> & {
  birthDate: Date | string | null;
  termsAcceptedAt: Date | string | null;
  archivedAt: Date | string | null;
  careEndingAt: Date | string | null;
  createdAt: Date | string;
  updatedAt: Date | string;
  phones: Pick<PatientPhone, 'id' | 'number' | 'label' | 'primary' | 'active'>[];
  addresses: Omit<PatientAddress, 'tenantId' | 'patientId' | 'createdAt'>[];
};

const instant = (stamp: Date | string): string => new Date(stamp).toISOString();
const date = (stamp: Date | string): string => (typeof stamp === 'string' ? stamp : stamp.toISOString()).slice(0, 10);

/** Presents a patient; `today` is the tenant's local date, for the age. */
export function presentPatient(patient: PatientRecord, today: string): PatientView {
  const birthDate = patient.birthDate && date(patient.birthDate);
  return {
    id: patient.id,
    tenant_id: patient.tenantId,
    type: 'Patient',
    email: patient.email,
    email_verified: patient.emailVerified,
    phone_number: patient.phoneNumber,
    phone_number_verified: patient.phoneNumberVerified,
    first_name: patient.firstName,
    middle_name: patient.middleName,
    last_name: patient.lastName,
    birth_date: birthDate,
    age: birthDate ? ageOn(today, birthDate) : null,
    administrative_gender: patient.administrativeGender as PatientView['administrative_gender'],
    gender_identity: patient.genderIdentity as PatientView['gender_identity'],
    races: racesFromTexts(patient.races),
    ethnicities: patient.ethnicities as PatientView['ethnicities'],
    addresses: patient.addresses.map(({ id, line1, line2, city, state, zip, country, label, primary, active }) => ({
      id,
      line1,
      line2,
      city,
      state,
      zip,
      country,
      label,
      primary,
      active,
    })),
    phones: patient.phones.map(({ id, number, label, primary, active }) => ({ id, number, label, primary, active })),
    tag_list: patient.tagList,
    metadata: patient.metadata as PatientView['metadata'],
    external_id: patient.externalId,
    time_zone: patient.timeZone,
    language: patient.language,
    status: patient.status as PatientView['status'],
    can_sign_in: patient.canSignIn,
    accepted_terms_of_service_at: patient.termsAcceptedAt && instant(patient.termsAcceptedAt),
    archived_at: patient.archivedAt && instant(patient.archivedAt),
    care_ending_at: patient.careEndingAt && instant(patient.careEndingAt),
    created_at: instant(patient.createdAt),
    updated_at: instant(patient.updatedAt),
  };
}
