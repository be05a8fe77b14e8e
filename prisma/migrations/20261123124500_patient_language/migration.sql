-- Which language a patient reads: a BCP 47 tag in its canonical form, or null where nobody has said.
ALTER TABLE "patients" ADD COLUMN "language" TEXT;
