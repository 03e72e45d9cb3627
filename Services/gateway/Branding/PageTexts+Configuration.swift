import Contracts
import Pages
import Vocabulary

extension PageTexts {
    /// The texts with those that a project or tenant has in their place, which identity has checked.
    func replaced(by own: ProjectConfiguration.Branding.PageTexts?) -> PageTexts {
        guard let own else { return self }
        var texts = self
        func replace(_ text: String?, _ member: WritableKeyPath<PageTexts, String>) {
            if let text { texts[keyPath: member] = text }
        }
        replace(own.passwordTitle, \.hostedSignIn.enterPassword)
        replace(own.secondFactorTitle, \.hostedSignIn.chooseFactor)
        replace(own.passkeyOfferTitle, \.hostedSignIn.offerPasskey.title)
        replace(own.passkeyOfferText, \.hostedSignIn.offerPasskey.body)
        replace(own.signedOutTitle, \.hostedSignIn.signedOut.title)
        replace(own.signedOutText, \.hostedSignIn.signedOut.body)
        if let purpose = own.signInPurpose {
            texts.hostedSignIn.toContinue = { name in
                purpose.replacing(ProjectConfiguration.Branding.PageTexts.namePlaceholder, with: name)
            }
        }
        return texts
    }
}

extension HostedVisit {
    /// Own texts of the realm in the language of the page.
    var ownTexts: ProjectConfiguration.Branding.PageTexts? { configuration.branding?.pageTexts?[language.rawValue] }

    /// The texts of the page.
    var pageTexts: PageTexts { language.pageTexts.replaced(by: ownTexts) }
}
