-- Whether somebody who was archived and taken back had a sign-in of their own, which no application may give to another.
ALTER TABLE "patients" ADD COLUMN "signed_in_before" BOOLEAN NOT NULL DEFAULT false;
