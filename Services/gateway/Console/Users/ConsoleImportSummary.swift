import Contracts
import Pages
import UserFiles
import Vocabulary

/// What an import did, in words of the console. Its switches have no default, so that a new cause without a sentence does not
/// compile.
extension ConsoleView {
    private var importTexts: PageTexts.ConsoleImport { visit.language.consoleImportTexts }

    /// The lines of the command, and the first records that were refused or are incomplete.
    func importSummary(_ summary: ImportSummary, isDryRun: Bool, asksForTOTP: Bool) -> HTML {
        let lines = importTexts.lines(of: summary, isDryRun: isDryRun, asksForTOTP: asksForTOTP)
        let issues = (summary.refusedRecords + summary.incompleteRecords).prefix(ConsoleWork.maximumListedFailures)
            .map { issue -> HTML in
                let id: HTML? = issue.localId.map { " (<bdi>\($0)</bdi>)" }
                // Only an issue of an earlier run has no cause, and a run of the console is never resumed.
                let reason = issue.cause.map { $0.sentence(in: visit.language) } ?? issue.reason
                return "<li>\(importTexts.record(issue.record))\(id): \(reason)</li>"
            }
        return """
            <ul>\(lines.map { "<li>\($0)</li>" as HTML })</ul>
            \(issues.isEmpty ? nil : "<ul>\(issues)</ul>" as HTML)
            """
    }
}

extension PageTexts.ConsoleImport {
    fileprivate func lines(of summary: ImportSummary, isDryRun: Bool, asksForTOTP: Bool) -> [String] {
        var lines = [(isDryRun ? wouldImport : imported)(summary.imported)]
        if summary.replaced > 0 { lines.append((isDryRun ? wouldReplace : replaced)(summary.replaced)) }
        if summary.kept > 0 { lines.append((isDryRun ? wouldKeep : kept)(summary.kept)) }
        for omission in ImportOmission.allCases {
            guard let count = summary.omissions[omission.rawValue] else { continue }
            lines.append(incomplete(count, omission.sentence(self)))
        }
        if summary.protected > 0, !asksForTOTP { lines.append(unaskedTOTP(summary.protected)) }
        if summary.refused > 0 { lines.append(refused(summary.refused)) }
        return lines
    }
}

extension ImportOmission {
    func sentence(_ texts: PageTexts.ConsoleImport) -> String {
        switch self {
        case .totp: texts.totp
        case .totpParameters: texts.totpParameters
        case .totpSecret: texts.totpSecret
        case .passkeys: texts.passkeys
        case .takenPasskeys: texts.takenPasskeys
        case .otherHash: texts.otherHash
        case .redactedHash: texts.redactedHash
        }
    }
}

extension ImportIssueCause {
    func sentence(in language: Language) -> String {
        let texts = language.consoleImportTexts
        return switch self {
        case .malformed(let detail): texts.malformed(detail)
        case .repeatedID: texts.repeatedID
        case .ofTenant: texts.ofTenant
        case .ofTwoTenants(let tenant, let first): texts.ofTwoTenants(tenant.rawValue, first.rawValue)
        case .refused(let code, let detail): language.consoleSentence(ConsoleReason(code), detail)
        case .incomplete(let omission): omission.sentence(texts)
        }
    }
}
