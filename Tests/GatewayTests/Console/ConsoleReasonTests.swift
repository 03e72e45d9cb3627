import Contracts
import Pages
import Testing
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
}
