import { Pencil } from 'lucide-react';
import type { ReactNode } from 'react';
import { languageName } from '#contract/language-name.ts';
import type { PatientView } from '#contract/patients.ts';
import { Badge } from '#web/ui/badge.tsx';
import { IconButton } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { pluralize } from '#web/ui/count-label.ts';
import { DateTime } from '#web/ui/date-time.tsx';
import { formatPhone } from '#web/ui/format-phone.ts';
import { formatPlainDate } from '#web/ui/format-time.ts';
import { ADMINISTRATIVE_GENDERS, GENDER_IDENTITIES } from './patient.ts';

export function PatientDetails({ patient, onEdit }: { patient: PatientView; onEdit?: () => void }) {
  const address = patient.addresses.find((row) => row.primary);
  return (
    <Card>
      <CardHeader
        title="Details"
        actions={onEdit && <IconButton icon={Pencil} label="Edit details" size="sm" onClick={onEdit} />}
      />
      <dl className="grid gap-3 p-4 sm:max-md:grid-cols-2">
        <Detail term="Email">
          {patient.email && (
            <>
              <span className="wrap-anywhere">{patient.email}</span>{' '}
              {patient.email_verified && <Badge tone="good">Confirmed</Badge>}
            </>
          )}
        </Detail>
        <Detail term="Phone">
          {patient.phone_number && (
            <a
              href={`tel:${patient.phone_number}`}
              className="-my-0.5 inline-block rounded-sm py-0.5 tabular-nums hover:underline"
            >
              {formatPhone(patient.phone_number)}
            </a>
          )}
        </Detail>
        <Detail term="Date of birth">
          {patient.birth_date && `${formatPlainDate(patient.birth_date)} (${pluralize(patient.age ?? 0, 'year')})`}
        </Detail>
        <Detail term="Sex on record">{ADMINISTRATIVE_GENDERS[patient.administrative_gender]}</Detail>
        <Detail term="Gender identity">{patient.gender_identity && GENDER_IDENTITIES[patient.gender_identity]}</Detail>
        <Detail term="Address">
          {address &&
            [address.line1, address.line2, address.city, [address.state, address.zip].filter(Boolean).join(' ')]
              .filter(Boolean)
              .join(', ')}
        </Detail>
        <Detail term="Language">{patient.language && languageName(patient.language)}</Detail>
        <Detail term="Chart number">
          {patient.external_id && <span className="wrap-anywhere">{patient.external_id}</span>}
        </Detail>
        <Detail term="Tags">
          {patient.tag_list.length > 0 && (
            <span className="flex flex-wrap gap-1">
              {patient.tag_list.map((tag) => (
                <Badge key={tag} wraps>
                  {tag}
                </Badge>
              ))}
            </span>
          )}
        </Detail>
        <Detail term="Added">
          <DateTime value={patient.created_at} shape="date" />
        </Detail>
        <Detail term="Patient id">
          <CopyButton size="sm" value={patient.id} label="Copy id" />
        </Detail>
      </dl>
    </Card>
  );
}

function Detail({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-[13px] text-muted">{term}</dt>
      <dd className="wrap-anywhere">{children || <span className="text-muted">–</span>}</dd>
    </div>
  );
}
