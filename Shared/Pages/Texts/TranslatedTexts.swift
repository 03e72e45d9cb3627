import Vocabulary

/// Texts that exist in every language of the pages: without one of them they do not compile.
protocol TranslatedTexts {
    static var english: Self { get }
    static var spanish: Self { get }
    static var korean: Self { get }
    static var thai: Self { get }
    static var german: Self { get }
    static var french: Self { get }
    static var japanese: Self { get }
    static var arabic: Self { get }
}

extension Language {
    func texts<Texts: TranslatedTexts>() -> Texts {
        switch self {
        case .english: .english
        case .spanish: .spanish
        case .korean: .korean
        case .thai: .thai
        case .german: .german
        case .french: .french
        case .japanese: .japanese
        case .arabic: .arabic
        }
    }
}
