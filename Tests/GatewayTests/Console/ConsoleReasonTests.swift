import Contracts
import Pages
import Testing
import UserFiles
import Vocabulary

@testable import GatewayService

/// What the console says when a service refuses.
@Suite struct ConsoleReasonTests {
    /// No page has the code of an error.
    @Test(arguments: Language.allCases) func everyErrorHasASentence(language: Language) {
        for code in WireError.Code.allCases {
            let sentence = language.consoleSentence(for: ServiceError(code))
            #expect(sentence.contains(" ") || language == .japanese || language == .thai)
            #expect(!sentence.contains(code.rawValue))
            #expect(language.consoleSentence(for: ServiceError(code, "a <b>")).hasPrefix(sentence))
        }
        let sentences = Set(ConsoleReason.allCases.map { $0.sentence(language.consoleRefusalTexts) })
        #expect(sentences.count == ConsoleReason.allCases.count)
    }

    /// Nor has a page the names of kinds, or the English words of the command.
    @Test(arguments: Language.allCases) func everyFindingHasASentence(language: Language) {
        let violations = Identity.VerifyAuditLog.Violation.allCases
        let omissions = ImportOmission.allCases
        let found = violations.map { $0.sentence(language.consoleAuditTexts) }
        let lacking = omissions.map { ImportIssueCause.incomplete($0).sentence(in: language) }
        let refused = [
            .repeatedID, .ofTenant, .ofTwoTenants(TenantID("t1"), TenantID("t2")), .malformed("line 3"),
            .refused(.invalidEmail, detail: nil),
        ].map { (cause: ImportIssueCause) in cause.sentence(in: language) }
        #expect(Set(found + lacking + refused).count == violations.count + omissions.count + refused.count)
        let names = violations.map(\.rawValue) + omissions.map(\.rawValue) + ["invalidEmail"]
        for sentence in found + lacking + refused { #expect(!names.contains(sentence)) }
        #expect(refused[2].contains("t1") && refused[2].contains("t2") && refused[3].contains("line 3"))
    }
}
