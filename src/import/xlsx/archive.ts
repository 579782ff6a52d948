import yauzl, { type Entry } from 'yauzl';

/** The defect of a workbook, as the end of a sentence: `it is encrypted`. */
export class WorkbookError extends Error {
  override readonly name = 'WorkbookError';
}

/** The parts of a workbook: the files of a ZIP archive. */
export interface Archive {
  /**
   * The bytes of a part; undefined if there is none.
   * @throws {WorkbookError} if it has more bytes than `most`
   */
  read(part: string, most: number): Promise<AsyncIterable<Uint8Array> | undefined>;
  close(): void;
}

/** A workbook has a few parts for each worksheet; an archive with more is something else. */
const mostParts = 10_000;

/** Opens an archive. Nothing of it is written to the disk, whatever its parts are called. */
export async function openArchive(file: string): Promise<Archive> {
  const zip = await yauzl.openPromise(file, { autoClose: false });
  const parts = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) {
      if (parts.size >= mostParts) throw new WorkbookError(`it has more than ${mostParts} parts`);
      parts.set(entry.fileName.toLowerCase(), entry);
    }
  } catch (error) {
    zip.close();
    throw error;
  }
  return {
    async read(part, most) {
      const entry = parts.get(part.toLowerCase());
      if (!entry) return undefined;
      // yauzl fails if there are more bytes than the archive says.
      if (entry.uncompressedSize > most) {
        throw new WorkbookError(`its part ${part} is larger than ${most / 1024 / 1024} MB`);
      }
      return zip.openReadStreamPromise(entry);
    },
    close: () => zip.close(),
  };
}
