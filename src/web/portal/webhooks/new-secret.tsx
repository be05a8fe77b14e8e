'use client';
import { SecretField } from '#web/ui/copy-field.tsx';
import { ShownOnce } from '#web/ui/dialog.tsx';

type NewSecretProps = { secret: string; next: string; onDone: () => void };

/** Shows a signing secret once. */
export function NewSecret({ secret, next, onDone }: NewSecretProps) {
  return (
    <ShownOnce onDone={onDone}>
      <SecretField label="Signing secret" value={secret} />
      <p className="text-muted">{next}</p>
    </ShownOnce>
  );
}
