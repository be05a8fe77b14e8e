'use client';
import { useQuery } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { CopyField } from '#web/ui/copy-field.tsx';
import { ErrorState } from '#web/ui/error-state.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useTRPC } from '../../trpc-client.tsx';
import { useMe } from '../me.tsx';

export function ConfigurationTokens() {
  const trpc = useTRPC();
  const { environment } = useMe();
  const tokens = useQuery(trpc.applications.configurationTokens.queryOptions({}));
  return (
    <Card>
      <CardHeader
        title="Configuration tokens"
        description="For the sign-in of patients in your app. They are no secrets and may ship inside it."
      />
      {tokens.error ? (
        <ErrorState error={tokens.error} onRetry={() => void tokens.refetch()} />
      ) : (
        <CardBody className="grid gap-4">
          {tokens.data ? (
            <>
              <CopyField label="Sign-in by text message" value={tokens.data.passwordless} />
              <CopyField label="Sign-in by email and password" value={tokens.data.credentials} />
              {environment === 'sandbox' && <OpenPlayground tokens={tokens.data} />}
            </>
          ) : (
            <Skeleton className="h-24" />
          )}
        </CardBody>
      )}
    </Card>
  );
}

/** Opens a sample patient app. The tokens travel in the URL fragment, which reaches no server or log. */
function OpenPlayground({ tokens }: { tokens: { passwordless: string; credentials: string } }) {
  const { passwordless, credentials } = tokens;
  return (
    <Button asChild className="justify-self-start">
      <a href={`/playground#${new URLSearchParams({ passwordless, credentials })}`} target="_blank" rel="noopener">
        <ExternalLink aria-hidden />
        Open the playground
      </a>
    </Button>
  );
}
