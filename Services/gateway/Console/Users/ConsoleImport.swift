import Contracts
import HTTPServer
import Pages
import Synchronization
import UserFiles
import Vocabulary

/// A file of users, as an operator has sent it.
struct ConsoleImportFile: Sendable {
    var name: String
    var format: UserFileFormat
    var content: [UInt8]
    var algorithm: PasswordHashAlgorithm?
    var keepsExisting: Bool
}

/// Imports of users from a file: first what it would do, then the import. Both are that of `latchkey users import`.
extension ConsolePages {
    private static let importPattern = projectPattern("users/import")

    static let importRoutes: [ConsoleRoute] = [
        .get(importPattern, .project, role: .administrator, fresh: true) { visit in visit.view.importPage() },
        .post(importPattern, .project, role: .administrator, fresh: true, file: true, checkFile),
        .post(projectPattern("users/import/begin"), .project, role: .administrator, fresh: true, importChecked),
    ]

    private static func checkFile(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        let texts = visit.view.userTexts
        guard let file = visit.files["file"], !file.content.isEmpty else {
            return visit.view.importPage(refusal: texts.fileMissing)
        }
        guard let format = UserFileFormat(path: file.name),
            !SealedFile.isSealed(Array(file.content.prefix(SealedFile.markBytes)))
        else { return visit.view.importPage(refusal: texts.fileHint) }
        var algorithm: PasswordHashAlgorithm?
        if let parameters = visit.form["hash"].nilIfEmpty {
            do throws(HashParametersError) {
                algorithm = try HashParameters(console: parameters).algorithm()
            } catch {
                return visit.view.importPage(refusal: texts.hashParametersMalformed, of: "hash")
            }
        }
        let upload = ConsoleImportFile(
            name: file.name, format: format, content: file.content, algorithm: algorithm,
            keepsExisting: visit.form["keep"] != nil)
        return try begin(upload, isDryRun: true, visit)
    }

    /// The file of a check that is complete: nobody sends it twice.
    private static func importChecked(_ visit: ConsoleVisit) async throws -> HTTPResponse {
        guard let checked = find(visit), case .importing(let file, isDryRun: true) = checked.kind,
            checked.state.outcome == .complete, checked.realm == (try visit.realm)
        else { throw ConsoleRefusal.notFound }
        return try begin(file, isDryRun: false, visit)
    }

    private static func begin(
        _ file: ConsoleImportFile, isDryRun: Bool, _ visit: ConsoleVisit
    ) throws -> HTTPResponse {
        let work = ConsoleWork(
            .importing(file, isDryRun: isDryRun), of: visit.session.operator.accountID, in: try visit.realm)
        return try begin(work, visit) { work in await importUsers(file, isDryRun: isDryRun, visit, work) }
    }

    private struct Interruption: Error {
        var outcome: ConsoleWork.Outcome
    }

    private static let bytesPerRead = 64 << 10
    private static let timeout = Duration.seconds(60)

    private static func importUsers(
        _ file: ConsoleImportFile, isDryRun: Bool, _ visit: ConsoleVisit, _ work: ConsoleWork
    ) async -> ConsoleWork.Outcome {
        let rest = Mutex(file.content[...])
        let users = UserImport(
            options: .init(
                realm: work.realm, format: file.format, algorithm: file.algorithm,
                allowsOverwrite: !file.keepsExisting, isDryRun: isDryRun),
            send: { request, _ in
                guard !work.isStopping else { throw Interruption(outcome: .stopped) }
                guard try await visit.mayStill(.administrator) else { throw Interruption(outcome: .forbidden) }
                var request = request
                request.client = visit.client
                return try await visit.call.send(request, timeout: timeout)
            },
            sendFactors: { try await visit.call.send($0, timeout: timeout) },
            sendPasskeys: { try await visit.call.send($0, timeout: timeout) },
            read: {
                rest.withLock { rest in
                    let piece = Array(rest.prefix(bytesPerRead))
                    rest = rest.dropFirst(bytesPerRead)
                    return piece
                }
            },
            events: .init(
                completed: { progress in work.change { $0.summary = progress.summary } },
                advanced: { users, _ in work.change { $0.done = users } }))
        do {
            let summary = try await users.run()
            if summary.protected > 0 {
                let asks = try await visit.call.send(Identity.ResolveConfiguration(realm: work.realm)).configuration
                    .requiresSecondFactor(method: .totp)
                work.change { $0.asksForTOTP = asks }
            }
            work.change { $0.summary = summary }
            return .complete
        } catch let interruption as Interruption {
            return interruption.outcome
        } catch {
            return .failed(work.failure(error, visit))
        }
    }
}

// MARK: - HTML

extension ConsoleView {
    /// - Parameter field: what was refused.
    fileprivate func importPage(refusal: String? = nil, of field: String = "file") -> HTTPResponse {
        let mark: HTML? = refusal == nil ? nil : #" aria-invalid="true""#
        let fileMark: HTML? = field == "file" ? mark : nil
        let hashMark: HTML? = field == "hash" ? mark : nil
        return respond(
            userTexts.importUsers, at: path("users"), status: refusal == nil ? 200 : 400,
            """
            \(refusal.map { HTML.errorSummary("\($0)", field: field) })
            <p>\(userTexts.importBody)</p>
            <form method="post" action="\(path("users/import"))" enctype="multipart/form-data">
            \(HTML.hidden([(name: HostedFlow.tokenField, value: visit.session.formToken)]))
            \(visit.value("tenant").map { HTML.hidden([(name: "tenant", value: $0)]) })
            <div class="field"><label for="file">\(userTexts.file)</label>\
            <input id="file" name="file" type="file" accept=".json,.csv,.jsonl,.ndjson" required="required" \
            aria-describedby="file-hint"\(fileMark) />
            <p class="hint" id="file-hint">\(userTexts.fileHint)</p></div>
            <div class="field"><label for="hash">\(userTexts.hashParameters)</label>\
            <textarea id="hash" name="hash" spellcheck="false" dir="ltr" aria-describedby="hash-hint"\(hashMark)>
            \(visit.form["hash"] ?? "")</textarea>
            <p class="hint" id="hash-hint">\(userTexts.hashParametersHint)</p></div>
            <label class="check"><input type="checkbox" name="keep" value="1" /><span>\(userTexts.keepExisting)</span></label>
            <p>\(HTML.button(userTexts.check))</p>
            </form>
            """)
    }
}
