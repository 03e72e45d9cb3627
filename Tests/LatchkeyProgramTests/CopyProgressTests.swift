import Contracts
import Synchronization
import TestSupport
import Testing

@testable import LatchkeyProgram

@Suite struct CopyProgressTests {
    private let clock = ManualClock()
    private let shown = Shown()

    private final class Shown: Sendable {
        private let texts = Mutex<[String]>([])
        func append(_ text: String) { texts.withLock { $0.append(text) } }
        var all: [String] { texts.withLock(\.self) }
    }

    private func progress(_ output: CopyProgress.Output) -> CopyProgress {
        CopyProgress(output, now: { [clock] in clock.instant }, write: shown.append)
    }

    private func copy(_ rows: Int, _ progress: CopyProgress, every duration: Duration) {
        for _ in 0..<rows {
            progress.countRow()
            clock.advance(by: duration)
        }
    }

    @Test func terminalShowsBar() {
        let progress = progress(.terminal)
        progress.begin(.identity, total: 1024)
        copy(512, progress, every: .milliseconds(1))
        #expect(shown.all.count == 2)
        #expect(
            shown.all.last == "\r\u{1b}[K  identity    [############------------] 50%  512 of 1024 rows, 0 s")
        copy(512, progress, every: .milliseconds(10))
        progress.enter("committing")
        #expect(
            shown.all.last
                == "\r\u{1b}[K  identity    [########################] 100%  1024 of 1024 rows, committing, 5 s")
        progress.finish()
        #expect(shown.all.last == "\r\u{1b}[K")
        #expect(shown.all.allSatisfy { !$0.contains("\n") })
    }

    @Test func shortCopyShowsNothing() {
        for output in [CopyProgress.Output.terminal, .lines] {
            let progress = progress(output)
            progress.begin(.identity, total: 1000)
            copy(1000, progress, every: .zero)
            progress.enter("committing")
            progress.finish()
        }
        #expect(shown.all == [])
    }

    @Test func longStepBeforeFirstRowIsShown() {
        let progress = progress(.terminal)
        progress.begin(.identity, total: 1024)
        progress.enter("deleting those before", isShownAtOnce: true)
        #expect(
            shown.all == [
                "\r\u{1b}[K  identity    [------------------------] 0%  0 of 1024 rows, deleting those before, 0 s"
            ])
        progress.enter(nil)
        #expect(shown.all.last == "\r\u{1b}[K  identity    [------------------------] 0%  0 of 1024 rows, 0 s")
    }

    @Test func fileGetsOneLinePerTenSeconds() {
        let progress = progress(.lines)
        progress.begin(.notifier, total: 2560)
        copy(2560, progress, every: .milliseconds(10))
        progress.enter("committing")
        progress.finish()
        #expect(
            shown.all == [
                "notifier: 40%, 1024 of 2560 rows, 10 s\n", "notifier: 80%, 2048 of 2560 rows, 20 s\n",
            ])
    }

    /// A restore of gigabytes verifies their file for minutes before its first row.
    @Test func stepWithoutRowsIsShown() {
        for (output, text) in [
            (CopyProgress.Output.lines, "identity: 0%, 0 of 1024 rows, verifying the file, 10 s\n"),
            (
                .terminal,
                "\r\u{1b}[K  identity    [------------------------] 0%  0 of 1024 rows, verifying the file, 1 s"
            ),
        ] {
            let progress = progress(output)
            progress.begin(.identity, total: 1024)
            progress.enter("verifying the file")
            let before = shown.all.count
            while shown.all.count == before {
                clock.advance(by: .seconds(1))
                progress.tick()
            }
            #expect(shown.all.last == text)
        }
    }

    /// As `bench fill`, which begins behind the accounts of an earlier run.
    @Test func otherThingsThanRowsAreCounted() {
        let progress = progress(.terminal)
        progress.begin(.identity, total: 1000, of: "accounts")
        clock.advance(by: .seconds(1))
        progress.reach(500)
        #expect(shown.all == ["\r\u{1b}[K  identity    [############------------] 50%  500 of 1000 accounts, 1 s"])
    }

    @Test func emptyTableShowsCompleteProgress() {
        let line = ProgressLine(service: .identity, step: "rows", done: 0, total: 0, seconds: 0)
        #expect(line.sentence == "identity: 100%, 0 of 0 rows, 0 s")
        #expect(line.bar.count <= 79)
    }
}
