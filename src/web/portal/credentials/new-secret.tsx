'use client';
import type { NewSecretView } from '#contract/settings.ts';
import { CopyField, SecretField } from '#web/ui/copy-field.tsx';
import { ShownOnce } from '#web/ui/dialog.tsx';
import { ApiAddresses } from './api-addresses.tsx';

/** Shows a client secret once. */
export function NewSecret({ created, onDone }: { created: NewSecretView; onDone: () => void }) {
  return (
    <ShownOnce onDone={onDone}>
      <CopyField label="Client id" value={created.application.client_id} />
      <SecretField label="Client secret" value={created.client_secret} />
      <ApiAddresses />
    </ShownOnce>
  );
}
